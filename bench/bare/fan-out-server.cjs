/** The yardstick of a fan-out: what is posted is parsed, serialised and framed once, and written to every WebSocket. */
'use strict'

const http = require('node:http')
const { Sender, WebSocketServer } = require('ws')

const server = http.createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    if (chunks.length > 0) {
      const message = Buffer.from(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString())))
      const frame = Buffer.concat(
        Sender.frame(message, { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: true }),
      )
      for (const client of webSockets.clients) client._socket.write(frame)
    }
    response.end('ok')
  })
})
const webSockets = new WebSocketServer({ server, perMessageDeflate: false })
server.listen(Number(process.argv[2]), '127.0.0.1')
