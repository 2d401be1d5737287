import { APIError } from 'openai'
import * as assert from 'uvu/assert'

/** @throws when the request is answered, or fails in a way the client has no word for */
export async function refused(request: PromiseLike<unknown>): Promise<APIError> {
  try {
    await request
  } catch (error) {
    if (error instanceof APIError) return error
    throw error
  }
  throw new Error('the request was answered where a refusal was awaited')
}

/** Whether the client filled in all that an error tells. */
export function same(
  error: APIError,
  status: number,
  code: string,
  type: string,
  param: string | null,
): void {
  const { status: s, code: c, type: t, param: p } = error
  assert.equal({ status: s, code: c, type: t, param: p }, { status, code, type, param })
  assert.ok(error.requestID, 'the client finds the request id')
}
