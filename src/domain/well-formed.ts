/** Whether it has no half of a surrogate pair, which UTF-8 cannot say: what is sent on would be another text. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)
