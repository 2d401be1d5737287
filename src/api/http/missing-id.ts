/** What is said of a path that has nothing where an id belongs, as that of a list with a slash behind it. */
export const missingId = (what: 'job' | 'model'): string =>
  `The path has nothing where the id of a ${what} belongs. GET /v1/${what}s, without a slash behind it, lists them.`
