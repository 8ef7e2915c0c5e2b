import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mask, maskDeep, masked } from '../../../src/platform/log/mask.ts'
import { newSecret } from '../../../src/platform/secrets/secrets.ts'
import { ownTime } from '../../support/own-time.ts'
import { anyCharacter } from '../../support/property.ts'

/** Forms of secrets, each with a part that must not be readable afterwards. */
const token = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 40,
  maxLength: 60,
})
const secret = fc.oneof(
  fc
    .constantFrom('owner', 'person', 'script', 'agent', 'code', 'cookie')
    .map((kind) => ((made) => [made, made] as const)(newSecret(kind))),
  token.map((text) => [`sk-${text}`, text] as const),
  token.map((text) => [`sk-ant-api03-${text}`, text] as const),
  token.map((text) => [`ghp_${text}`, text] as const),
  token.map((text) => [`github_pat_${text}`, text] as const),
  token.map(
    (text) => [`AKIA${text.toUpperCase().slice(0, 16)}`, text.toUpperCase().slice(0, 16)] as const,
  ),
  token.map((text) => [`xoxb-${text}`, text] as const),
  token.map((text) => [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx${text}.${text}`, text] as const),
  token.map((text) => [`Bearer ${text}`, text] as const),
  token.map((text) => [`Authorization: Basic ${text}`, text] as const),
  token.map((text) => [`Set-Cookie: holdfast_1=${text}; HttpOnly`, text] as const),
  token.map((text) => [`password=${text}`, text] as const),
  token.map((text) => [`"apiKey": "${text}"`, text] as const),
  token.map((text) => [JSON.stringify(JSON.stringify({ apiKey: text })), text] as const),
  token.map((text) => [`DB_PASSWORD='${text}'`, text] as const),
  token.map((text) => [`postgres://me:${text}@localhost/db`, text] as const),
  token.map((text) => [`http://127.0.0.1:4747/sign-in#${text}`, text] as const),
  token.map(
    (text) =>
      [`-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----`, text] as const,
  ),
  token.map((text) => [`-----BEGIN PRIVATE KEY-----\n${text}`, text] as const),
)
const around = fc.string({ unit: anyCharacter, maxLength: 30 })

test('[SE7] no secret of a known form survives, whatever stands around it', () => {
  fc.assert(
    fc.property(around, secret, around, (before, [text, part], after) => {
      expect(mask(`${before} ${text} ${after}`)).not.toContain(part)
    }),
    { numRuns: 2000 },
  )
})

test('[SE7] several secrets in one text are all masked', () => {
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), (secrets) => {
      const text = mask(secrets.map(([each]) => each).join('\n'))
      for (const [, part] of secrets) expect(text).not.toContain(part)
    }),
  )
})

test('[SE7] masking twice changes nothing more', () => {
  fc.assert(
    fc.property(around, secret, around, (before, [text], after) => {
      const once = mask(`${before} ${text} ${after}`)
      expect(mask(once)).toBe(once)
    }),
    { numRuns: 2000 },
  )
})

test('[SE7] ordinary words stay as they are', () => {
  const ordinary = [
    'The project demo was created in 12 ms',
    'GET /api/tokens/0198 204',
    'tokenId 0198-7c and 8000 tokens',
    'https://holdfast.example.com/projects/proj_20260301_a1b2c3',
    'author: Aiko',
    'sk-1 ghp_ AKIA hf_owner',
    'postgres://localhost/db',
  ]
  for (const text of ordinary) expect(mask(text)).toBe(text)
})

test('[SE7] what stands beside a secret is kept, so that a line still says something', () => {
  expect(mask('login failed token=abc123 for Aiko')).toBe(`login failed token=${masked} for Aiko`)
  expect(mask('connect postgres://me:geheim@db:5432/x failed')).toBe(
    `connect postgres://me:${masked}@db:5432/x failed`,
  )
})

test('[SE7] in data, everything under a name that means a secret goes, at any depth', () => {
  const data = {
    user: 'Aiko',
    headers: { authorization: 'x', 'set-cookie': ['a=1', 'b=2'] },
    env: [{ OPENAI_API_KEY: 'plain' }],
    ownerToken: 'y',
    tokens: 5,
  }
  expect(maskDeep(data)).toEqual({
    user: 'Aiko',
    headers: { authorization: masked, 'set-cookie': [masked, masked] },
    env: [{ OPENAI_API_KEY: masked }],
    ownerToken: masked,
    tokens: 5,
  })
})

test('[SE7] hostile text is masked in time that grows no faster than its length', () => {
  const hostile = [
    'eyJ-',
    'a.',
    'token ',
    'x://',
    'bearer ',
    '-----BEGIN ',
    'hf_',
    'password="\\',
    'cookie: ',
    'a:b@',
    'authorization=',
  ]
  for (const piece of hostile) {
    const text = `${piece.repeat(Math.ceil(400_000 / piece.length))} :// token eyJ`
    const took = ownTime()
    mask(text)
    expect(took(), piece).toBeLessThan(2000)
  }
})
