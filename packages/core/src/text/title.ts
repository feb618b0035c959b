/** Most characters of a title that a person or a program gives; what is recorded already may be longer. */
export const TITLE_LIMIT = 200;
