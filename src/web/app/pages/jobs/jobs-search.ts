/** What the address of the page asks for, so that going back and sharing work. */
export interface JobsSearch {
  readonly status?: string | undefined
  readonly model?: string | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
}

const NAMES = ['status', 'model', 'before', 'after'] as const
const PAGE_SIZE = 20

export const searchOf = (given: Readonly<Record<string, unknown>>): JobsSearch =>
  Object.fromEntries(
    NAMES.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
  )

export const toParams = (search: JobsSearch): URLSearchParams =>
  new URLSearchParams({ limit: String(PAGE_SIZE), ...searchOf({ ...search }) } as Readonly<
    Record<string, string>
  >)

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly has_more: boolean
}

/** Where the buttons lead; undefined: there is nothing there. `has_more` is of the direction asked. */
export function pagesAround({ status, model, before, after }: JobsSearch, page: Page) {
  const upwards = after !== undefined && before === undefined
  const atNewest = after === undefined && before === undefined
  const first = page.data[0]?.id
  const last = page.data.at(-1)?.id
  const hasNewer = upwards ? page.has_more : !atNewest
  const hasOlder = upwards || page.has_more
  return {
    newest: atNewest ? undefined : { status, model },
    newer: hasNewer && first ? { status, model, after: first } : undefined,
    older: hasOlder && last ? { status, model, before: last } : undefined,
  }
}
