// What a gateway costs that does nothing: Fastify takes a request, undici passes it on to UPSTREAM_URL, and
// the answer comes back piece by piece. Prints its URL when it listens.
import fastify from 'fastify'
import { Pool } from 'undici'

const upstream = new URL(`${process.env.UPSTREAM_URL}/chat/completions`)
const pool = new Pool(upstream.origin, { connections: 2_000, pipelining: 1 })
const server = fastify()
server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
server.removeContentTypeParser('application/json')

server.post('/v1/chat/completions', async (request, reply) => {
  const answer = await pool.request({
    path: upstream.pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: request.body as string,
  })
  const type = answer.headers['content-type']
  return reply.code(answer.statusCode).header('content-type', type).send(answer.body)
})

const address = await server.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${address}\n`)
