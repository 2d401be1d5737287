/** On a free port of this machine; prints its URL. */
export function listen(app) {
  const server = app.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
  })
}
