/** docs/reference/events.md: every type of event, read from its declaration, since types are all that exists of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { code, page, table } from './markdown.ts'

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
  )
}

function rowsOf(root: string, { file: path, bodies: name }: typeof events): string[][] {
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const bodies = file.statements.find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === name,
  )
  if (!bodies) throw new Error(`There is no ${name} in ${path}`)
  return bodies.members.filter(ts.isPropertySignature).map((member) => {
    const about = ts.getJSDocCommentsAndTags(member).map((comment) => ts.getTextOfJSDocComment(comment.comment) ?? '')
    return [code((member.name as ts.StringLiteral).text), code(onOneLine(member.type?.getText(file) ?? '')), about.join(' ')]
  })
}

const onOneLine = (type: string): string =>
  type
    .replaceAll(/\{\s*\n\s*/g, '{ ')
    .replaceAll(/\s*\n\s*\}/g, ' }')
    .replaceAll(/\s*\n\s*/g, '; ')
