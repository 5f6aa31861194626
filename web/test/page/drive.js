// Checks that apply to every drive, through the file system of the Go program. This script runs in
// Node and in a worker of a browser.
import { Disk } from "../../src/storage/disk.js"; // browsers load this from /src/

/** Returns the functions with promises instead of callbacks. @param {any} fs */
const promised = (fs) =>
  new Proxy(fs, {
    get:
      (_, name) =>
      (...args) =>
        new Promise((resolve, reject) => fs[name](...args, (error, value) => (error ? reject(error) : resolve(value)))),
  });

const bytes = (text) => new TextEncoder().encode(text);
const RDWR = 2;
const CREATE = 0o100 | RDWR;
const TRUNCATE = 0o1000;

function same(got, want, what) {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(`${what}: ${JSON.stringify(got)} and not ${JSON.stringify(want)}`);
  }
}

async function content(fs, fd) {
  const { size } = await fs.fstat(fd);
  const buffer = new Uint8Array(size + 5);
  const read = await fs.read(fd, buffer, 0, buffer.length, 0);
  return new TextDecoder().decode(buffer.subarray(0, read));
}

async function code(promise) {
  return promise.then(
    () => "no error",
    (error) => error.code,
  );
}

/**
 * @param {() => Promise<import("../../src/storage/disk.js").Drive>} open open opens the same drive each time
 * @param {boolean} lasts whether the drive has the data of an earlier one
 */
export async function check(open, lasts) {
  const lines = [];
  let disk = new Disk(await open(), (line) => lines.push(line));
  let fs = promised(disk.fs());
  same(await code(fs.open("/none", RDWR, 0)), "ENOENT", "a file that is not there");
  same(await code(fs.lstat("/none")), "ENOENT", "its state");
  same(await code(fs.unlink("/none")), "ENOENT", "its removal");
  same(await code(fs.rename("/none", "/other")), "ENOENT", "its renaming");
  same(await code(fs.open("/", 0, 0)), "ENOSYS", "the folder");
  same(await code(fs.chmod("/none", 0)), "ENOSYS", "what there is not");
  same(await code(fs.fstat(99)), "EBADF", "no file");

  const fd = await fs.open("/a", CREATE, 0o600);
  same(await fs.write(fd, bytes("hello world"), 0, 11, 0), 11, "write");
  same(await fs.write(fd, bytes("xxW"), 2, 1, 6), 1, "write inside");
  same(await content(fs, fd), "hello World", "read");
  same((await fs.lstat("/a")).size, 11, "state of an open file");
  await fs.ftruncate(fd, 5);
  same(await content(fs, fd), "hello", "cut");
  await fs.write(fd, bytes("!"), 0, 1, 7);
  same(await content(fs, fd), "hello\0\0!", "a hole");
  const reader = await fs.open("/a", RDWR, 0);
  same(await content(fs, reader), "hello\0\0!", "a second reader");
  await fs.close(reader);
  same(await content(fs, fd), "hello\0\0!", "after it");
  await fs.fsync(fd);

  // Replace an open file by another open file, as Shrink does.
  const next = await fs.open("/a.shrink", CREATE | TRUNCATE, 0o600);
  await fs.write(next, bytes("smaller"), 0, 7, 0);
  await fs.fsync(next);
  const renamed = fs.rename("/a.shrink", "/a");
  const during = fs.write(next, bytes("+"), 0, 1, 7); // this is pending
  await renamed;
  await during;
  same(await content(fs, next), "smaller+", "after renaming");
  same(await code(fs.fstat(fd)), "EBADF", "what was replaced");
  same(await code(fs.fsync(fd)), "no error", "syncing what was replaced");
  await fs.close(fd);
  await fs.write(next, bytes("+"), 0, 1, 8);
  await fs.fsync(next);
  same(await code(fs.lstat("/a.shrink")), "ENOENT", "the old name");

  // Replace a closed file by another closed file, as an import does.
  await fs.close(next);
  const third = await fs.open("/b", CREATE, 0o600);
  await fs.write(third, bytes("third"), 0, 5, 0);
  await fs.fsync(third);
  await fs.close(third);
  same((await fs.lstat("/a")).size, 9, "state of a closed file");
  await fs.rename("/b", "/c");
  const removed = await fs.open("/d", CREATE, 0o600);
  await fs.write(removed, bytes("x"), 0, 1, 0);
  await fs.fsync(removed);
  await fs.unlink("/d");
  await fs.close(removed);
  same(disk.fs().writeSync(1, bytes("one\ntw")), 6, "standard output");
  same(await fs.write(2, bytes("o\n"), 0, 2, null), 2, "standard error");
  same(lines, ["one", "two"], "lines");
  disk.close();
  if (!lasts) {
    return;
  }
  disk = new Disk(await open(), () => {});
  fs = promised(disk.fs());
  same(await content(fs, await fs.open("/a", RDWR, 0)), "smaller++", "in another session");
  same(await content(fs, await fs.open("/c", RDWR, 0)), "third", "in another session");
  for (const name of ["/b", "/d", "/a.shrink"]) {
    same(await code(fs.open(name, RDWR, 0)), "ENOENT", name);
  }
  disk.close();
}

/**
 * Checks that a browser that rejects a commit, for example when the storage is full, leaves the files unchanged: in memory, and in the
 * next session.
 * @param {() => Promise<import("../../src/storage/indexed.js").IndexedDrive>} open
 */
export async function checkRefused(open) {
  let drive = await open();
  let disk = new Disk(drive, () => {});
  let fs = promised(disk.fs());
  const files = { "/kept": "old", "/kept.new": "new" };
  const fds = [];
  for (const [name, text] of Object.entries(files)) {
    const fd = await fs.open(name, CREATE | TRUNCATE, 0o600);
    await fs.write(fd, bytes(text), 0, text.length, 0);
    await fs.fsync(fd);
    fds.push(fd);
  }
  const [first, next] = fds;
  const refuse = () => (drive.change = async () => Promise.reject(Object.assign(new Error("full"), { name: "QuotaExceededError" })));
  refuse();
  same(await code(fs.rename("/kept.new", "/kept")), "ENOSPC", "renaming");
  same(await content(fs, first), "old", "the file that was not replaced");
  same(await content(fs, next), "new", "the file that was not renamed");
  await fs.close(first);
  await fs.close(next);
  const old = await fs.open("/kept", RDWR, 0);
  same(await content(fs, old), "old", "the file that was not replaced, opened again");
  same(await content(fs, await fs.open("/kept.new", RDWR, 0)), "new", "the file that was not renamed, opened again");
  await fs.write(old, bytes("!"), 0, 1, 3);
  same(await code(fs.fsync(old)), "ENOSPC", "a sync");
  same(await code(fs.fsync(old)), "ENOSPC", "a sync without further writes does not succeed after that");
  same(await code(fs.unlink("/kept.new")), "ENOSPC", "removing");
  same(await content(fs, await fs.open("/kept.new", RDWR, 0)), "new", "the file that was not removed");
  disk.close();

  drive = await open();
  disk = new Disk(drive, () => {});
  fs = promised(disk.fs());
  same(await content(fs, await fs.open("/kept", RDWR, 0)), "old", "in another session");
  same(await content(fs, await fs.open("/kept.new", RDWR, 0)), "new", "in another session");

  // Each sync adds a record. Opening replaces many records by one, which may also be rejected.
  const fd = await fs.open("/kept", RDWR, 0);
  for (let n = 0; n < 600; n++) {
    await fs.write(fd, bytes("x"), 0, 1, n);
    await fs.fsync(fd);
  }
  disk.close();
  const { change } = Object.getPrototypeOf(drive);
  Object.getPrototypeOf(drive).change = refuse();
  disk = new Disk(await open(), () => {});
  Object.getPrototypeOf(drive).change = change;
  fs = promised(disk.fs());
  same(await content(fs, await fs.open("/kept", RDWR, 0)), "x".repeat(600), "a drive with many records");
  disk.close();
}
