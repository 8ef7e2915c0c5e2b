import { describe, expect, test } from 'vitest'
import {
  agentKey,
  parseAgentKey,
  parseKey,
  parseWebKey,
  webKey,
} from '../../../src/domain/conversations/key.ts'
import { anyCharacter, fc, property } from '../../support/property.ts'

const isRefused = (key: string): boolean => 'refused' in parseKey(key)

describe('the key of a conversation', () => {
  test.each<[key: string, channel: string, chatId: string]>([
    ['telegram:123456', 'telegram', '123456'],
    ['slack:C0123', 'slack', 'C0123'],
    ['web:proj_20240115_a1b2c3.ada', 'web', 'proj_20240115_a1b2c3.ada'],
    ['discord:a:b', 'discord', 'a:b'],
    ['line:承認', 'line', '承認'],
    ['console:1', 'console', '1'],
    ['mail:nullable', 'mail', 'nullable'],
    ['com10:lpt', 'com10', 'lpt'],
    [`web:${'x'.repeat(196)}`, 'web', 'x'.repeat(196)],
  ])('[CV6] %s is one', (key, channel, chatId) => {
    expect(parseKey(key)).toEqual({ key: { channel, chatId } })
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
    expect(parseKey('a/b:c')).toMatchObject({
      refused: { code: 'invalid_key', detail: { text: 'A key must not contain slashes' } },
    })
  })

  property.prop([fc.string({ unit: anyCharacter, maxLength: 80 })])(
    '[CV6] whatever is accepted is its channel, a colon and its chat id, and is safe as a file name',
    (text) => {
      const parsed = parseKey(text)
      if ('refused' in parsed) return
      const { channel, chatId } = parsed.key
      expect(`${channel}:${chatId}`).toBe(text)
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
    for (const other of ['web:x', 'web:.a', 'web:p.', 'web:a.b.c', 'agent:a.b', 'xweb:a.b'])
      expect(parseWebKey(other), other).toBeUndefined()
  })

  test('[CV10] two agents have one conversation, whoever begins', () => {
    expect(agentKey('bob', 'ada')).toBe('agent:ada~bob')
    expect(agentKey('ada', 'bob')).toBe('agent:ada~bob')
    for (const other of ['agent:bob~ada', 'agent:ada', 'agent:a~b~c', 'agent:~a', 'web:a~b'])
      expect(parseAgentKey(other), other).toBeUndefined()
  })

  property.prop([ids, ids])(
    '[CV6] they are valid, and lead back to what they were made of',
    (one, other) => {
      const web = webKey(`proj_20240115_${one.slice(0, 6)}`, other)
      expect(isRefused(web)).toBe(false)
      expect(parseWebKey(web)).toEqual({
        projectId: `proj_20240115_${one.slice(0, 6)}`,
        agentId: other,
      })
      expect(isRefused(agentKey(one, other))).toBe(false)
      expect(parseAgentKey(agentKey(one, other))).toEqual({ agentIds: [one, other].sort() })
    },
  )
})
