/** The yardstick of a start and of an idle process: Node's own HTTP server, answering 200, and nothing else. Plain, so that nothing is paid for but that. */
'use strict'

const http = require('node:http')

http
  .createServer((_request, response) => response.end('ok'))
  .listen(Number(process.argv[2]), '127.0.0.1')
