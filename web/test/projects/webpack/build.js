// Default webpack settings, with nothing specific to this package.
const webpack = require("webpack");

webpack({ mode: "production", entry: "./main.js", output: { path: `${__dirname}/dist` }, performance: false }, (failed, stats) => {
  const problem = failed ?? (stats.hasErrors() || stats.hasWarnings() ? stats.toString() : undefined);
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
});
