/** The yardstick of a replay: the same bytes, read from SQLite as blobs in order and written to the socket as fast as it takes them. */
'use strict'

const http = require('node:http')
const { DatabaseSync } = require('node:sqlite')

const [port, file] = process.argv.slice(2)
const db = new DatabaseSync(file, { readOnly: true })
const after = db.prepare('select id, bytes from blobs where id > ? order by id limit 4')

http
  .createServer(async (request, response) => {
    for (let last = 0, rows = []; request.url === '/replay'; last = rows.at(-1).id) {
      rows = after.all(last)
      if (rows.length === 0) break
      for (const { bytes } of rows) {
        if (!response.write(bytes)) await new Promise((resolve) => response.once('drain', resolve))
      }
    }
    response.end()
  })
  .listen(Number(port), '127.0.0.1')
