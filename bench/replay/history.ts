/**
 * A long history, written straight into the tables of a server that is not running: the way there
 * is not what is measured.
 */
import { DatabaseSync } from 'node:sqlite'
import type { StreamName } from '../../src/domain/stream-name.ts'
import { bodyFor } from '../append/use-cases.ts'

/**
 * The stream's events 1 to `count`, of a short message's size; answers the store's incarnation, for
 * cursors.
 */
export function addHistory(file: string, stream: StreamName, count: number): string {
  const db = new DatabaseSync(file)
  const now = new Date().toISOString()
  const event = db.prepare(
    'insert into events (stream, seq, type, at, data) values (?, ?, ?, ?, ?)',
  )
  db.exec('begin')
  for (let seq = 1; seq <= count; seq++)
    event.run(stream, seq, 'project-changed', now, JSON.stringify(bodyFor(`p${seq}`, now)))
  db.prepare('insert into streams (name, head, floor) values (?, ?, 0)').run(stream, count)
  db.exec('commit')
  const incarnation = db.prepare("select value from meta where key = 'incarnation'").get()
  db.close()
  return String(incarnation?.['value'])
}

export function makeBlobs(file: string, bytes: Buffer, blobBytes: number): void {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal')
  db.exec('create table blobs (id integer primary key, bytes blob not null)')
  const insert = db.prepare('insert into blobs (bytes) values (?)')
  db.exec('begin')
  for (let at = 0; at < bytes.length; at += blobBytes)
    insert.run(bytes.subarray(at, at + blobBytes))
  db.exec('commit')
  db.close()
}
