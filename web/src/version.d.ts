/** The version of the build. */
export const version: string;
/** The commit that was built. */
export const commit: string;
/** The time of the commit by RFC 3339; may be empty. */
export const built: string;
