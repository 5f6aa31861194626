/** What the build says of itself. */
export const version: string;
/** The commit of its sources. */
export const commit: string;
/** When the sources were committed: RFC 3339; may be empty. */
export const built: string;
