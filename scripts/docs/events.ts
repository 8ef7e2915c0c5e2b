/** docs/reference/events.md: every type of event, read from its declaration, since types are all that exists of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { code, page, table } from './markdown.ts'

const declaration = 'src/protocol/events.ts'

export function eventsPage(root: string): string {
  const file = ts.createSourceFile(declaration, readFileSync(join(root, declaration), 'utf8'), ts.ScriptTarget.Latest, true)
  const bodies = file.statements.find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === 'EventBodies',
  )
  if (!bodies) throw new Error(`There is no EventBodies in ${declaration}`)
  const rows = bodies.members.filter(ts.isPropertySignature).map((member) => {
    const about = ts.getJSDocCommentsAndTags(member).map((comment) => ts.getTextOfJSDocComment(comment.comment) ?? '')
    return [code((member.name as ts.StringLiteral).text), code(member.type?.getText(file) ?? ''), about.join(' ')]
  })
  return page(
    '# Events',
    [
      'Every change is an event in a stream. Events of one stream are numbered 1, 2, 3 … without gaps, in the order of their commits.',
      'Follow them with `GET /api/events?streams=home,project:ID` (server-sent events) or over the WebSocket `/ws`',
      '(`{"type": "subscribe", "streams": ["home"]}`). Each is `{type, stream, seq, at, data}`. A copy in another stream has `ref: {stream, seq}`',
      'in place of `data`. Keep the last `id:` and send it as `Last-Event-ID` (or `after=`) to go on where you stopped; a cursor that',
      'cannot be served any more is answered with one `event: snapshot` first, never with silence.',
    ].join('\n'),
    table(['type', 'data', ''], rows),
  )
}
