import { IndexedDrive } from "/src/storage/indexed.js";
import { OPFSDrive } from "/src/storage/opfs.js";
import { check } from "./drive.js";

const drives = { opfs: () => OPFSDrive.open("drive test"), indexeddb: () => IndexedDrive.open("drive test") };

onmessage = async ({ data }) => {
  try {
    await check(drives[data], true);
    postMessage("passed");
  } catch (error) {
    postMessage(String(error.stack));
  }
};
