/** A reporter for run.js: a line of JSON for each test, without the tests within it. */
export default async function* outcomes(events) {
  for await (const { type, data } of events) {
    if ((type === "test:fail" || type === "test:pass") && data.nesting === 0) {
      yield `${JSON.stringify({ name: data.name, seconds: data.details.duration_ms / 1000, failed: type === "test:fail" })}\n`;
    }
  }
}
