/** A bare proxy to the address in `argv`: what any gateway must at least do. Tells its port, and its processor time when asked. */
const { createServer, request, Agent } = require('node:http')

const upstream = new URL(process.argv[2])
const agent = new Agent({ keepAlive: true })
const server = createServer((asked, answer) => {
  const { method, url, headers } = asked
  const sent = request(
    { host: upstream.hostname, port: upstream.port, method, path: url, headers, agent },
    (came) => {
      answer.writeHead(came.statusCode, came.headers)
      came.pipe(answer)
    },
  )
  sent.on('error', () => answer.destroy())
  asked.pipe(sent)
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', () => process.send({ cpu: process.cpuUsage() }))
process.on('disconnect', () => process.exit(0))
