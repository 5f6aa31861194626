/** Error codes of EIP-1193, EIP-1474 and EIP-3326. */
export const REJECTED = 4001;
export const UNAUTHORIZED = 4100;
export const UNSUPPORTED = 4200;
export const DISCONNECTED = 4900;
export const UNKNOWN_CHAIN = 4902;
export const INVALID = -32602;
export const INTERNAL = -32603;

/** The error of a failed request. */
export class ProviderError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {unknown} [data] the data that a contract returned with its error
   */
  constructor(code, message, data) {
    super(message);
    this.name = "ProviderError";
    this.code = code;
    this.data = data;
  }
}
