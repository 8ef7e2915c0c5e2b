/**
 * docs/reference/events.md: every type of event, read from its declaration, since types are all
 * that exists of it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { RelayMessage } from '../../src/protocol/consoles/relay.ts'
import { code, page, table } from './markdown.ts'
import { shapeOf } from './shape.ts'

const events = { file: 'src/protocol/events.ts', bodies: 'EventBodies' }
const relayEvents = { file: 'src/protocol/consoles/relay.ts', bodies: 'RelayEventBodies' }

export function eventsPage(root: string): string {
  return page(
    '# Events',
    [
      'Every change is an event in a stream. Events of one stream are numbered 1, 2, 3 … without gaps, in the order of their commits.',
      'Follow them with `GET /api/events?streams=home,project:ID` (server-sent events) or over the WebSocket `/ws`',
      '(`{"type": "subscribe", "streams": ["home"]}`). Each is `{type, stream, seq, at, data}`. A copy in another stream has `ref: {stream, seq}`',
      'in place of `data`. Keep the last `id:` and send it as `Last-Event-ID` (or `after=`) to go on where you stopped; a cursor that',
      'cannot be served any more is answered with one `event: snapshot` first, never with silence.',
    ].join('\n'),
    table(['type', 'data', ''], rowsOf(root, events)),
    '## The relay',
    [
      'The events of `user-session:ID` come over `/ws` to who is attached to it (`session:create`, `session:resume`), as messages:',
      '`{type, sessionId, seq, timestamp, …}` with the fields below. `requestId` is that of the request which an event answers.',
    ].join('\n'),
    table(['type', 'fields', ''], rowsOf(root, relayEvents)),
    '## Messages to the relay',
    [
      'What a client sends over `/ws` about a user session, whose id is `sessionId`. `requestId` is the client’s choice: the event or answer to the message',
      'carries it, and the same one again is done once. A message that is refused is answered by `{type: "error", code, detail, next, …, requestId}`',
      'with a code of [errors.md](errors.md), and the connection stays open. `agent:list` and `agent:get` are answered by `agent:list` and `agent:info`,',
      '`session:resume` by `session:resumed` (and `session:snapshot` where what was missed is not kept), the others by an event above.',
    ].join('\n'),
    ...RelayMessage.options.map((option) => `\`\`\`\n${shapeOf(option, 'input')}\n\`\`\``),
  )
}

function rowsOf(root: string, { file: path, bodies: name }: typeof events): string[][] {
  const file = ts.createSourceFile(
    path,
    readFileSync(join(root, path), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const bodies = file.statements.find(
    (node): node is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(node) && node.name.text === name,
  )
  if (!bodies) throw new Error(`There is no ${name} in ${path}`)
  return bodies.members.filter(ts.isPropertySignature).map((member) => {
    const about = ts
      .getJSDocCommentsAndTags(member)
      .map((comment) => ts.getTextOfJSDocComment(comment.comment) ?? '')
    return [
      code((member.name as ts.StringLiteral).text),
      code(onOneLine(member.type?.getText(file) ?? '')),
      about.join(' '),
    ]
  })
}

const onOneLine = (type: string): string =>
  type
    .replaceAll(/\{\s*\n\s*/g, '{ ')
    .replaceAll(/\s*\n\s*\}/g, ' }')
    .replaceAll(/\s*\n\s*/g, '; ')
