/** The yardstick of a held call: a POST that is read, parsed and kept without an answer until its client hangs up. */
'use strict'

const http = require('node:http')

const held = new Map()

http
  .createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url !== '/hold') {
        const text = `held ${held.size}`
        return response.writeHead(200, { 'content-length': text.length }).end(text)
      }
      held.set(response, JSON.parse(Buffer.concat(chunks).toString()))
      response.once('close', () => held.delete(response))
    })
  })
  .listen(Number(process.argv[2]), '127.0.0.1')
