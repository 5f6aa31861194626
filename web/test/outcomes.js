/** A reporter for run.js. It writes a line of JSON for each test, with the number of its subtests and the names of those that failed. */
export default async function* outcomes(events) {
  let [within, failing] = [0, /** @type {string[]} */ ([])];
  for await (const { type, data } of events) {
    if (type !== "test:fail" && type !== "test:pass") {
      continue;
    }
    const failed = type === "test:fail";
    if (data.nesting === 0) {
      yield `${JSON.stringify({ name: data.name, seconds: data.details.duration_ms / 1000, failed, within, failing })}\n`;
      [within, failing] = [0, []];
    } else {
      within++;
      failed && failing.push(data.name);
    }
  }
}
