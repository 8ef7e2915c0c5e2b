import { expect, test } from 'vitest'
import { bareSessions } from './bare-session.ts'
import { filesOfTheRepository, isCode } from './source-files.ts'

test('[HS2] every identifier says which session it means', () => {
  expect(filesOfTheRepository().filter(isCode).flatMap(bareSessions)).toEqual([])
})

test.each([
  'const session = 1',
  'function end(sessionId: string) { return sessionId }',
  'type Session = { id: string }',
  'const { sessions } = list',
  'const sessionToken = 1',
])('[HS2] the control: `%s` is found', (text) => {
  expect(bareSessions({ path: 'src/services/x.ts', text })).not.toEqual([])
})

test('[HS2] names that say which one pass, and so do texts and wire names', () => {
  const fine =
    "const userSession = 1; const acpSessionId = 2; const text = 'session'; sessionStorage.clear()"
  expect(bareSessions({ path: 'web/src/x.ts', text: fine })).toEqual([])
  const wire =
    'const message = z.object({ sessionId: z.string() }); const { sessionId: userSessionId } = input'
  expect(bareSessions({ path: 'src/protocol/consoles/relay.ts', text: wire })).toEqual([])
  expect(
    bareSessions({ path: 'src/protocol/consoles/relay.ts', text: 'const sessionId = 1' }),
  ).toHaveLength(1)
})
