/** The yardstick of a message: what is posted is parsed, written to a file, made durable with one fdatasync, and answered. */
'use strict'

const fs = require('node:fs')
const http = require('node:http')

const [port, file] = process.argv.slice(2)
// Without a file: a bare POST.
const handle = file === undefined ? undefined : fs.openSync(file, 'w')
let sent = 0

http
  .createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (chunks.length === 0) return response.end('ok')
      const { id, content = '' } = JSON.parse(Buffer.concat(chunks).toString())
      if (handle !== undefined) {
        fs.writeSync(handle, JSON.stringify({ seq: ++sent, content }))
        fs.fdatasyncSync(handle)
      }
      const answer = JSON.stringify({ id, seq: sent })
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer),
      })
      response.end(answer)
    })
  })
  .listen(Number(port), '127.0.0.1')
