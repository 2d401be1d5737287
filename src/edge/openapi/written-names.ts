import { DEFAULT_PREFIX, type ServiceNames, serviceNames } from '../../domain/service-names.ts'

/** The names that the documentation is written with: schemas, the table of errors, the pages. */
export const WRITTEN = serviceNames(DEFAULT_PREFIX)

const WORD = new RegExp(`(?<![A-Za-z0-9])${DEFAULT_PREFIX}(?![A-Za-z0-9])`, 'g')

/**
 * Documentation with the names of this service in place of those it is written with. Not for text in
 * which something of an operator's stands: an address may hold the word too.
 */
export const inNames = (text: string, { prefix, signature }: ServiceNames): string =>
  text.replaceAll(WRITTEN.signature, signature).replace(WORD, prefix)
