// Mark of a value of a server of another build that does not fit the type of the page.

/** Value in the place of one that does not fit: the field keeps its value. The modules of the client and of the resolution share it. */
export const KEEP = Symbol.for("syncvar.keep");
