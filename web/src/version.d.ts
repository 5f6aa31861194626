/** What the build says of itself. */
export const version: string;
/** When the sources were committed: RFC 3339; may be empty. */
export const built: string;
