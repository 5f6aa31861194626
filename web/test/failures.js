/** A reporter for run.js: a line of JSON for each test that failed, without the tests within it. */
export default async function* failures(events) {
  for await (const { type, data } of events) {
    if (type === "test:fail" && data.nesting === 0) {
      yield `${JSON.stringify({ name: data.name, file: data.file })}\n`;
    }
  }
}
