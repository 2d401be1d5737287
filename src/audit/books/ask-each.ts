const AT_ONCE = 1_000

/** Asks the same of each item, of so many at once that a node answers all of them in time. In their order. */
export async function askEach<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let from = 0; from < items.length; from += AT_ONCE) {
    answers.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(ask))))
  }
  return answers
}
