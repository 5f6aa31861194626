import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../src/wallet/devices.js";
import { Wallets } from "../src/wallet/provider.js";

const VENDOR = 0x2c97;

/** A WebHID device whose reports are sent by the test. */
class FakeDevice {
  vendorId = VENDOR;
  productId = 0x4011;
  productName = "Nano X";
  opened = false;
  written = [];
  listeners = new Set();
  constructor(usagePage = 0xffa0) {
    this.collections = [{ usagePage: 0xf1d0 }, { usagePage }];
  }
  async open() {
    if (this.opened) {
      throw Object.assign(new Error("it is open"), { name: "InvalidStateError" });
    }
    if (this.taken) {
      throw Object.assign(new Error("Failed to open the device."), { name: "NotAllowedError" });
    }
    this.opened = true;
  }
  async close() {
    this.opened = false;
  }
  async sendReport(id, data) {
    this.written.push([id, ...data]);
  }
  addEventListener(_, listener) {
    this.listeners.add(listener);
  }
  removeEventListener(_, listener) {
    this.listeners.delete(listener);
  }
  send(...bytes) {
    const data = new DataView(Uint8Array.from([9, 9, ...bytes]).buffer, 2);
    this.listeners.forEach((listener) => listener({ data }));
  }
}

/** Returns a browser's HID with devices that the user granted access to. */
function fakeHID(...devices) {
  let gone = () => {};
  return {
    getDevices: async () => devices,
    requestDevice: async ({ filters }) => devices.filter(({ vendorId }) => filters.some((filter) => filter.vendorId === vendorId)),
    addEventListener: (_, listener) => (gone = listener),
    unplug: (device) => {
      devices.splice(devices.indexOf(device), 1);
      gone({ device });
    },
  };
}

/** Returns a function that makes requests like the node. */
function page(hid) {
  const wallets = new Wallets([devices(hid)]);
  return async (name, params) => JSON.parse(await wallets.ask(JSON.stringify({ wallet: "hid", do: name, with: params })));
}

const base64 = (...bytes) => Buffer.from(bytes).toString("base64");

test("reports go to a device and back, in order", async () => {
  const device = new FakeDevice();
  const ask = page(fakeHID(device));
  assert.deepEqual(await ask("list", { vendor: VENDOR }), { devices: [{ id: "hid-1", vendor: VENDOR, product: 0x4011, name: "Nano X" }] });
  const { connection } = await ask("open", { id: "hid-1" });
  assert.ok(device.opened);
  assert.deepEqual(await ask("write", { connection, report: base64(1, 2, 3) }), {});
  assert.deepEqual(device.written, [[0, 1, 2, 3]]);
  const waiting = ask("read", { connection });
  await new Promise(setImmediate);
  assert.equal((await ask("read", { connection })).fault, "DeviceBusy");
  device.send(4, 5);
  assert.deepEqual(await waiting, { report: base64(4, 5) });
  device.send(6);
  device.send(7);
  assert.deepEqual(await ask("read", { connection }), { report: base64(6) });
  assert.deepEqual(await ask("read", { connection }), { report: base64(7) });
  await ask("close", { connection });
  assert.ok(!device.opened);
  assert.equal(device.listeners.size, 0);
  assert.equal((await ask("write", { connection, report: "" })).fault, "DeviceUnplugged");
  assert.deepEqual(await ask("close", { connection }), {});
  assert.ok((await ask("open", { id: "hid-1" })).connection > connection);
});

test("a device that is pulled out ends who reads", async () => {
  const device = new FakeDevice();
  const hid = fakeHID(device);
  const ask = page(hid);
  await ask("list", { vendor: VENDOR });
  const { connection } = await ask("open", { id: "hid-1" });
  const waiting = ask("read", { connection });
  await new Promise(setImmediate);
  hid.unplug(device);
  assert.deepEqual(await waiting, { fault: "DeviceUnplugged", text: "Nano X was unplugged, or fell asleep" });
  assert.equal((await ask("read", { connection })).fault, "DeviceUnplugged");
  assert.equal((await ask("open", { id: "hid-1" })).fault, "DeviceNotFound");
});

test("what is no wallet is not listed", async () => {
  const other = new FakeDevice();
  other.vendorId = 0x534c;
  const ask = page(fakeHID(new FakeDevice(0xf1d0), other));
  const { fault, text } = await ask("list", { vendor: VENDOR });
  assert.equal(fault, "DeviceNotFound");
  assert.match(text, /choose it in the page/);
});

test("a device that another program uses is busy", async () => {
  const device = new FakeDevice();
  device.taken = true;
  const ask = page(fakeHID(device));
  await ask("list", { vendor: VENDOR });
  const { fault, text } = await ask("open", { id: "hid-1" });
  assert.equal(fault, "DeviceBusy");
  assert.equal(text, "the device is used by another program or page: Failed to open the device.");
});

test("a browser without WebHID says so", async () => {
  const ask = page(undefined);
  const { fault, text } = await ask("list", { vendor: VENDOR });
  assert.equal(fault, "DeviceFailed");
  assert.match(text, /this browser cannot reach hardware wallets/);
});

test("a device that floods the page is not listened to", async () => {
  const device = new FakeDevice();
  const ask = page(fakeHID(device));
  await ask("list", { vendor: VENDOR });
  const { connection } = await ask("open", { id: "hid-1" });
  for (let i = 0; i < 1000; i++) {
    device.send(i % 256);
  }
  for (let i = 0; i < 256; i++) {
    assert.deepEqual(await ask("read", { connection }), { report: base64(i) });
  }
  const waiting = ask("read", { connection });
  await new Promise(setImmediate);
  device.send(42);
  assert.deepEqual(await waiting, { report: base64(42) });
});
