/** Prints "yes" if this version of Node can run Vite: 20.19, 22.12 or newer. */

const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) {
  console.log("yes");
}
