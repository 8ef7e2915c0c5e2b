import { describe, expect, test } from 'vitest'
import {
  claimOf,
  nameApart,
  plainName,
  refusalOfKey,
} from '../../../src/domain/conversations/key.ts'
import { anyCharacter, fc, property } from '../../support/property.ts'

const digest = 'abcdef0123456789'.repeat(4)

describe('the file name of a conversation', () => {
  test.each<[key: string, name: string]>([
    ['telegram:123456', 'telegram_123456'],
    ['slack:C0123', 'slack_C0123'],
    ['discord:a:b', 'discord_a_b'],
    ['line:承認 🙂', 'line_承認 🙂'],
    ['.ssh:x', '_ssh_x'],
    ['mail:"<a|b>"?*', 'mail___a_b____'],
  ])('[CV6] of %s is %s', (key, name) => expect(plainName(key)).toBe(name))

  test.each<[one: string, other: string]>([
    ['a:b:c', 'a:b_c'],
    ['a_b:c', 'a:b_c'],
    ['slack:C0123', 'slack:c0123'],
    ['line:caf\u00e9', 'line:cafe\u0301'],
    ['line:straße', 'line:STRASSE'],
    ['line:\u212a', 'line:k'],
    ['line:a\u200db', 'line:ab'],
    ['line:\u202eab', 'line:ab'],
    ['a:b?', 'a:b*'],
  ])('[CV6] %s and %s ask for the same one, as some file system would say', (one, other) => {
    expect(claimOf(one)).toBe(claimOf(other))
    expect(nameApart(one, '1'.repeat(64))).not.toBe(nameApart(other, '2'.repeat(64)))
  })

  test('[CV6] a name that looks like one kept apart is nobody’s by asking', () => {
    expect(claimOf(`a:b~${digest.slice(0, 32)}`)).toBeUndefined()
    expect(claimOf(`a:b~${digest.slice(0, 32).toUpperCase()}`)).toBeUndefined()
    expect(claimOf(`a:b~${digest.slice(0, 31)}`)).toBeDefined()
  })

  property.prop([fc.string({ unit: anyCharacter, maxLength: 80 })])(
    '[CV6] whatever key is accepted, it is one name that fits every file system, with what a temporary file adds to it',
    (key) => {
      if (refusalOfKey(key)) return
      for (const name of [plainName(key), nameApart(key, digest)]) {
        expect(name).not.toMatch(/[/\\:<>"|?*]|^\./)
        expect(
          new TextEncoder().encode(`.${name}.json.4194304.0123456789ab.tmp`).length,
        ).toBeLessThanOrEqual(255)
      }
    },
  )
})
