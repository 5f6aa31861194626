/**
 * Hardware wallets over WebHID. The node writes and reads reports of 64 bytes; see
 * wasm/page/devices_js.go. The user grants access to a device once, in response to a click; from
 * then on the page may use it.
 *
 * Source: WebHID (wicg.github.io/webhid); LedgerHQ/ledger-live libs/ledgerjs: hw-transport-webhid.
 */

import { fromBase64, toBase64 } from "./provider.js";

/**
 * @typedef {{usagePage?: number}} Collection
 * @typedef {{data: DataView}} InputReport
 *
 * @typedef {object} Device the part of HIDDevice that is used
 * @property {number} vendorId
 * @property {number} productId
 * @property {string} productName
 * @property {boolean} opened
 * @property {Collection[]} collections
 * @property {() => Promise<void>} open
 * @property {() => Promise<void>} close
 * @property {(reportId: number, data: Uint8Array<ArrayBuffer>) => Promise<void>} sendReport
 * @property {(type: "inputreport", listener: (event: InputReport) => void) => void} addEventListener
 * @property {(type: "inputreport", listener: (event: InputReport) => void) => void} removeEventListener
 *
 * @typedef {object} HID the part of navigator.hid that is used
 * @property {() => Promise<Device[]>} getDevices returns the devices that the user granted access to
 * @property {(options: {filters: {vendorId: number}[]}) => Promise<Device[]>} requestDevice
 * @property {(type: "disconnect", listener: (event: {device: Device}) => void) => void} addEventListener
 *
 * @typedef {"DeviceNotFound" | "DeviceUnplugged" | "DeviceBusy" | "DeviceFailed"} Fault the node's names of errors
 */

const LEDGER = 0x2c97;
/** The HID usage page of Ledger's interface for APDUs. A device may have another interface as a security key. */
const USAGE_PAGE = 0xffa0;
/** The maximum number of unread reports. No response has as many, so further reports are dropped. */
const MOST = 256;

/** An error that the node recognizes as a device error. */
class DeviceError extends Error {
  /**
   * @param {Fault} fault
   * @param {string} message
   */
  constructor(fault, message) {
    super(message);
    this.fault = fault;
  }
}

/** @param {Device} device */
const isWallet = ({ collections }) => collections.some(({ usagePage }) => usagePage === USAGE_PAGE);

/** An open device. */
class Connection {
/** @type {Uint8Array[]} the unread reports */
  #reports = [];
  /** @type {{resolve: (report: Uint8Array) => void, reject: (error: Error) => void} | null} the pending read */
  #reader = null;
  /** @type {Error | null} the reason why the connection has ended */
  #ended = null;
  /** @param {InputReport} event */
  #take = ({ data }) => {
    const report = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    if (this.#reader) {
      this.#reader.resolve(report);
      this.#reader = null;
    } else if (this.#reports.length < MOST) {
      this.#reports.push(report);
    }
  };

  /** @param {Device} device */
  constructor(device) {
    this.device = device;
    device.addEventListener("inputreport", this.#take);
  }

  /** @param {Uint8Array<ArrayBuffer>} report */
  async write(report) {
    if (this.#ended) {
      throw this.#ended;
    }
    await this.device.sendReport(0, report);
  }

  /** @returns {Promise<Uint8Array>} */
  read() {
    const report = this.#reports.shift();
    if (report) {
      return Promise.resolve(report);
    }
    if (this.#ended || this.#reader) {
      return Promise.reject(this.#ended ?? new DeviceError("DeviceBusy", "the device is being read already"));
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** @param {Error} why */
  end(why) {
    this.#ended ??= why;
    this.#reader?.reject(this.#ended);
    this.#reader = null;
    this.device.removeEventListener("inputreport", this.#take);
  }
}

/** The hardware wallets that a page can access. */
export class Devices {
  /** @type {WeakMap<Device, string>} the ids of devices while they are plugged in */
  #ids = new WeakMap();
  #named = 0;
  /** @type {Map<number, Connection>} */
  #open = new Map();
  #opened = 0;

  /** @param {HID | undefined} hid */
  constructor(hid) {
    this.hid = hid;
    hid?.addEventListener("disconnect", ({ device }) => this.#gone(device));
  }

  /** @returns {HID} */
  #need() {
    if (!this.hid) {
      throw new DeviceError("DeviceFailed", "this browser cannot reach hardware wallets: use one with WebHID, such as Chrome or Edge, over https");
    }
    return this.hid;
  }

  /**
   * Asks the user to choose a device. It must be called from a click handler.
   * @returns {Promise<boolean>} whether a device was chosen
   */
  async choose() {
    return (await this.#need().requestDevice({ filters: [{ vendorId: LEDGER }] })).some(isWallet);
  }

  /** @param {{vendor: number}} params */
  async list({ vendor }) {
    const devices = (await this.#need().getDevices()).filter((device) => device.vendorId === vendor && isWallet(device));
    if (devices.length === 0) {
      throw new DeviceError("DeviceNotFound", "this page may use no hardware wallet that is connected: plug it in, unlock it and choose it in the page");
    }
    return { devices: devices.map((device) => ({ id: this.#name(device), vendor, product: device.productId, name: device.productName })) };
  }

  /** @param {Device} device */
  #name(device) {
    const id = this.#ids.get(device) ?? `hid-${++this.#named}`;
    this.#ids.set(device, id);
    return id;
  }

  /** @param {{id: string}} params */
  async open({ id }) {
    const device = (await this.#need().getDevices()).find((known) => this.#ids.get(known) === id);
    if (!device) {
      throw new DeviceError("DeviceNotFound", `device "${id}" is not connected`);
    }
    if (!device.opened) {
      await device.open();
    }
    this.#open.set(++this.#opened, new Connection(device));
    return { connection: this.#opened };
  }

  /** @param {number} number */
  #at(number) {
    const connection = this.#open.get(number);
    if (!connection) {
      throw new DeviceError("DeviceUnplugged", "the device was unplugged, or fell asleep");
    }
    return connection;
  }

  /** @param {{connection: number, report: string}} params */
  async write({ connection, report }) {
    await this.#at(connection).write(fromBase64(report));
    return {};
  }

  /** @param {{connection: number}} params */
  async read({ connection }) {
    return { report: toBase64(await this.#at(connection).read()) };
  }

  /** @param {{connection: number}} params */
  async close({ connection: number }) {
    const connection = this.#open.get(number);
    if (connection) {
      this.#open.delete(number);
      connection.end(new DeviceError("DeviceUnplugged", "the connection to the device was closed"));
      if (![...this.#open.values()].some(({ device }) => device === connection.device)) {
        await connection.device.close();
      }
    }
    return {};
  }

  /** @param {Device} device */
  #gone(device) {
    for (const [number, connection] of this.#open) {
      if (connection.device === device) {
        this.#open.delete(number);
        connection.end(new DeviceError("DeviceUnplugged", `${device.productName} was unplugged, or fell asleep`));
      }
    }
  }

  /**
   * Executes an operation for the node. Errors are returned as results, since the node identifies
   * them by name.
   * @param {"list" | "open" | "write" | "read" | "close"} name
   * @param {any} params
   */
  async do(name, params) {
    try {
      return await this[name](params);
    } catch (error) {
      const { fault = "DeviceFailed", name: kind, message } = /** @type {any} */ (error);
      const busy = kind === "InvalidStateError" || kind === "NotAllowedError";
      return { fault: busy ? "DeviceBusy" : fault, text: busy ? `the device is used by another program or page: ${message}` : message };
    }
  }
}
