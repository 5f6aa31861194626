import { IndexedDrive } from "/src/storage/indexed.js";
import { OPFSDrive } from "/src/storage/opfs.js";
import { check, checkRefused } from "./drive.js";

const drives = { opfs: () => OPFSDrive.open("drive test"), indexeddb: () => IndexedDrive.open("drive test") };

onmessage = async ({ data }) => {
  try {
    await check(drives[data], true);
    data === "indexeddb" && (await checkRefused(drives.indexeddb));
    postMessage("passed");
  } catch (error) {
    postMessage(String(error.stack));
  }
};
