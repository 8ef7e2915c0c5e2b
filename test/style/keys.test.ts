/**
 * HS28: what a conversation is stands in its row, so its key is read where keys are made and
 * hardly anywhere else.
 */
import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode, type SourceFile } from './source-files.ts'

const makers = /^src\/domain\/(?:conversations|channels)\/key\.ts$/
const product = filesOfTheRepository().filter(
  (file) =>
    isCode(file) &&
    /^(?:src|web\/src)\//.test(file.path) &&
    !makers.test(file.path) &&
    !file.path.startsWith('src/store/migrations/'),
)

/** The functions of key.ts that tell what a key means. */
const readers = 'identityFromKey|isReserved|channelOf|parseChannelKey'
const imported = new RegExp(
  `import \\{[^}]*\\b(?:${readers})\\b[^}]*\\} from '[^']*domain/(?:conversations|channels)/key\\.ts'`,
)

const kinds = 'web|agent|console|work|fork|schedule|import|race|telegram|slack|discord'
const byHand: readonly RegExp[] = [
  new RegExp(`(?:startsWith|indexOf|split)\\(['"\`](?:${kinds}):`),
  new RegExp(`/\\^(?:\\(\\?:)?(?:(?:${kinds})\\|?)+\\)?:(?!\\(\\?:)`),
  new RegExp(`like',? ?['"\`](?:${kinds}):`),
  /\b[kK]ey\)?\.(?:indexOf|split)\(['"`][:~]/,
]

const asks = ({ text }: SourceFile): boolean => imported.test(text)
const parses = ({ text }: SourceFile): boolean => byHand.some((pattern) => pattern.test(text))

test('[HS28] [CV15] five files ask what a key means', () => {
  expect(product.filter(asks).map(({ path }) => path)).toEqual([
    'src/adapters/drafter.ts',
    'src/adapters/sender.ts',
    'src/mirror/line-log.ts',
    'src/services/conversations/conversation-record.ts',
    'src/store/conversations/conversation-identity.ts',
  ])
})

/** The page has only a key in its addresses and in notes; this list only shrinks. */
const onThePage = [
  'web/src/conversations/messages/message-row.tsx',
  'web/src/conversations/titles.ts',
  'web/src/conversations/web-address.ts',
  'web/src/shell/listed-views.ts',
]

test('[HS28] [CV15] no key is parsed outside the files that make keys', () => {
  expect(product.filter(parses).map(({ path }) => path)).toEqual(onThePage)
})

test.each([
  "if (key.startsWith('web:')) return",
  'const [, id] = /^console:([^.]+)/.exec(key) ?? []',
  'const isSession = /^(?:web|work|fork):/.test(key)',
  "eb('key', 'not like', 'console:%')",
  "const channel = key.slice(0, key.indexOf(':'))",
])('[HS28] the control: %s is found', (text) => {
  expect(parses({ path: 'src/x.ts', text })).toBe(true)
})

test('[HS28] the control: an import of a reader is found, of a maker not', () => {
  const from = "from '../../domain/conversations/key.ts'"
  expect(asks({ path: 'src/x.ts', text: `import { identityFromKey } ${from}` })).toBe(true)
  expect(asks({ path: 'src/x.ts', text: `import { isWork, webKey } ${from}` })).toBe(false)
})
