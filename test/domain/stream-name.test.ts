import { describe, expect, test } from 'vitest'
import { home, parseStream, projectStream } from '../../src/domain/stream-name.ts'
import { fc, property } from '../support/property.ts'

describe('names of streams', () => {
  test('[HT6] home and the kinds with an id are streams', () => {
    expect(parseStream(home)).toEqual({ kind: 'home', id: '' })
    expect(parseStream('project:proj_20240115_a1b2c3')).toEqual({
      kind: 'project',
      id: 'proj_20240115_a1b2c3',
    })
    expect(parseStream('conversation:web:P.A')).toEqual({ kind: 'conversation', id: 'web:P.A' })
    expect(parseStream('user-session:1')?.kind).toBe('user-session')
    expect(parseStream('coordinator:1')?.kind).toBe('coordinator')
  })

  test('[HT6] anything else is not', () => {
    for (const name of [
      '',
      ':',
      'home:',
      'home:1',
      'project',
      'project:',
      'Project:1',
      'secrets:1',
      ' project:1',
    ]) {
      expect(parseStream(name), name).toBeUndefined()
    }
  })

  property.prop([fc.string({ minLength: 1 })])(
    "[HT6] a project's stream names the project",
    (id) => {
      expect(parseStream(projectStream(id))).toEqual({ kind: 'project', id })
    },
  )
})
