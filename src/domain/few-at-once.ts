/** More than a node's connections take, and less than any provider has for a second. */
const FEW = 8

/**
 * Asks the same of each item, a few at a time, for answers in their order. Providers count the questions of a
 * second: of hundreds at once some were refused each time, and who begins anew with all of them never ends.
 */
export async function fewAtOnce<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let from = 0; from < items.length; from += FEW) {
    answers.push(...(await Promise.all(items.slice(from, from + FEW).map(ask))))
  }
  return answers
}
