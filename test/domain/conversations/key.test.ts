import { describe, expect, test } from 'vitest'
import {
  agentKey,
  channelOf,
  consoleKey,
  identityFromKey,
  refusalOfKey,
  webKey,
  workKey,
} from '../../../src/domain/conversations/key.ts'
import { anyCharacter, fc, property } from '../../support/property.ts'

const isRefused = (key: string): boolean => refusalOfKey(key) !== undefined

describe('the key of a conversation', () => {
  test.each<[key: string, channel: string]>([
    ['telegram:123456', 'telegram'],
    ['slack:C0123', 'slack'],
    ['web:proj_20240115_a1b2c3.ada', 'web'],
    ['discord:a:b', 'discord'],
    ['line:承認', 'line'],
    ['console:1', 'console'],
    ['mail:nullable', 'mail'],
    ['com10:lpt', 'com10'],
    [`web:${'x'.repeat(196)}`, 'web'],
  ])('[CV6] %s is one', (key, channel) => {
    expect(refusalOfKey(key)).toBeUndefined()
    expect(channelOf(key)).toBe(channel)
  })

  test.each<[what: string, keys: string[]]>([
    ['a dot or two', ['.', '..', '..:x', '.:x', 'x:.', 'x:..']],
    ['slashes of either kind', ['a/b:c', 'a:b/../c', 'a:\\b', '/:x']],
    ['control characters', ['a:\u0000', 'a:b\nc', 'a\t:b', 'a:\u007f', 'a:\u0085']],
    [
      'names that Windows reserves',
      [
        'con',
        'CON:1',
        'a:NUL',
        'aux.txt:1',
        'a:com1.json',
        'Lpt9 .x:1',
        'a:COM¹',
        'prn:prn',
        'conin$:1',
        'a:CONOUT$',
      ],
    ],
    ['a dot or space at the end', ['a:b.', 'a:b ', 'a:b..']],
    ['no channel, no chat id, or neither', ['', ':', 'a', 'a:', ':a', ' :a', 'telegram']],
    ['more than 200 bytes, however few letters', [`a:${'x'.repeat(199)}`, `a:${'承'.repeat(67)}`]],
    ['half a character', ['a:\ud800', '\udc00:a']],
  ])('[CV6] %s is refused', (_what, keys) => {
    for (const key of keys) expect(isRefused(key), JSON.stringify(key)).toBe(true)
  })

  test('[CV6] a refusal says what is wrong, in the word of every door', () => {
    expect(refusalOfKey('a/b:c')).toMatchObject({
      code: 'invalid_key',
      detail: { text: 'A key must not contain slashes' },
    })
  })

  property.prop([fc.string({ unit: anyCharacter, maxLength: 80 })])(
    '[CV6] whatever is accepted begins with its channel and a colon, and is safe as a file name',
    (text) => {
      if (isRefused(text)) return
      expect(text.startsWith(`${channelOf(text)}:`)).toBe(true)
      const name = text.replaceAll(':', '_')
      expect(name).not.toMatch(/[/\\]|^\.{1,2}$|[. ]$/)
      expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(200)
    },
  )
})

describe('keys that we make', () => {
  const ids = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$/)

  test('[CH1] a web chat is web:PROJECT.AGENT', () => {
    expect(webKey('proj_20240115_a1b2c3', 'ada')).toBe('web:proj_20240115_a1b2c3.ada')
    for (const other of ['web:x', 'web:.a', 'web:p.', 'web:p..c', 'agent:a.b', 'xweb:a.b'])
      expect(identityFromKey(other).kind, other).toBe('other')
  })

  test('[CV10] two agents have one conversation, whoever begins', () => {
    expect(agentKey('bob', 'ada')).toBe('agent:ada~bob')
    expect(agentKey('ada', 'bob')).toBe('agent:ada~bob')
    for (const other of ['agent:bob~ada', 'agent:ada', 'agent:a~b~c', 'agent:~a', 'web:a~b'])
      expect(identityFromKey(other).kind, other).toBe('other')
  })

  property.prop([ids, ids])(
    '[CV6] they are valid, and lead back to what they were made of',
    (one, other) => {
      const web = webKey(`proj_20240115_${one.slice(0, 6)}`, other)
      expect(isRefused(web)).toBe(false)
      const chat = { kind: 'web', projectId: `proj_20240115_${one.slice(0, 6)}`, agentId: other }
      expect(identityFromKey(web)).toMatchObject(chat)
      expect(identityFromKey(`${web}.second`)).toMatchObject(chat)
      expect(isRefused(agentKey(one, other))).toBe(false)
      const [agentId, otherAgentId] = [one, other].sort()
      expect(identityFromKey(agentKey(one, other))).toMatchObject({ agentId, otherAgentId })
      expect(identityFromKey(workKey(one, other))).toMatchObject({
        workSessionId: one,
        agentId: other,
      })
    },
  )

  property.prop([ids, fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 })])(
    '[CV6] [CV15] a role of any characters is read back from the key that was made of it',
    (userSessionId, role) => {
      expect(identityFromKey(consoleKey(userSessionId, role))).toMatchObject({
        kind: 'console',
        userSessionId,
        role,
      })
    },
  )
})
