/**
 * Markdown that agents write, shown as elements made here one by one (SE6): no markup of theirs is
 * ever handed to the browser, links go only to web and mail addresses, pictures are not fetched.
 * What it does not know, it shows as it was written.
 */
import type { MarkedToken, Token, Tokens } from 'marked'
import { Fragment, memo, type ReactNode } from 'react'
import { prose } from '../jsx/jsx-runtime.ts'
import { CodeBlock } from './code-block.tsx'
import { PlainText } from './plain-text.tsx'
import { useParsed } from './use-parsed.ts'

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const { tokens, rest } = useParsed(text)
  if (tokens.length === 0) return <PlainText text={text} />
  return (
    <div className="flex min-w-0 flex-col gap-2 [overflow-wrap:anywhere]">
      {blocks(tokens)}
      {rest !== '' && <PlainText text={rest} />}
    </div>
  )
})

/** Tokens have no ids; they are only ever appended to, so their places are their names. */
const each = (tokens: readonly Token[], show: (token: Token) => ReactNode): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  tokens.map((token, index) => <Fragment key={index}>{show(token)}</Fragment>)

const blocks = (tokens: readonly Token[]): ReactNode =>
  each(tokens, (token) => block(token as MarkedToken))

function block(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
      return null
    case 'heading':
      return (
        <p dir="auto" className={`pt-1 font-semibold ${token.depth < 3 ? 'text-lg' : ''}`}>
          {inline(token.tokens)}
        </p>
      )
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens)}</p>
    case 'code':
      return <CodeBlock code={token.text} language={token.lang?.split(/\s/, 1)[0] ?? ''} />
    case 'blockquote':
      return (
        <blockquote
          dir="auto"
          className="flex flex-col gap-2 border-s-2 border-edge ps-3 text-quiet"
        >
          {blocks(token.tokens ?? [])}
        </blockquote>
      )
    case 'list':
      return <List list={token} />
    case 'hr':
      return <hr className="border-line" />
    case 'table':
      return <Table table={token} />
    case 'text':
      return (
        <span>{'tokens' in token && token.tokens ? inline(token.tokens) : prose(token.text)}</span>
      )
    case 'checkbox':
      return null
    default:
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          {prose(token.raw.trimEnd())}
        </p>
      )
  }
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever appended to
    <li key={index} className={item.task ? '-ms-5 list-none' : 'ps-0.5'}>
      {item.task && <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span>}
      {blocks(item.tokens)}
    </li>
  ))
  if (!list.ordered)
    return (
      <ul dir="auto" className="list-disc space-y-1 ps-5">
        {items}
      </ul>
    )
  return (
    <ol
      start={list.start === '' ? 1 : list.start}
      dir="auto"
      className="list-decimal space-y-1 ps-6"
    >
      {items}
    </ol>
  )
}

const cellClass = 'border border-line px-2 py-1 align-top'

const alignments = { left: 'text-start', center: 'text-center', right: 'text-end' } as const
const alignOf = ({ align }: Tokens.TableCell): string => alignments[align ?? 'left']

const Table = ({ table }: { table: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
  <div tabIndex={0} className="overflow-x-auto">
    <table dir="auto" className="border-collapse text-sm [overflow-wrap:break-word]">
      <thead>
        <tr>
          {table.header.map((cell, index) => (
            <th
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              key={index}
              scope="col"
              className={`${cellClass} bg-sunken font-medium ${alignOf(cell)}`}
            >
              {inline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only ever appended
          <tr key={index}>
            {row.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <td key={column} className={`${cellClass} ${alignOf(cell)}`}>
                {inline(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const inline = (tokens: readonly Token[] | undefined): ReactNode =>
  each(tokens ?? [], (token) => span(token as MarkedToken))

function span(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : prose(token.text)
    case 'strong':
      return <strong className="font-semibold">{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <del>{inline(token.tokens)}</del>
    case 'codespan':
      return (
        <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.92em]">{token.text}</code>
      )
    case 'br':
      return <br />
    case 'link':
      return <SafeLink href={token.href}>{inline(token.tokens)}</SafeLink>
    case 'image':
      // Images are not fetched: their address could leak what the agent knows to its owner.
      return <SafeLink href={token.href}>{token.text || token.href}</SafeLink>
    default:
      return prose(token.raw)
  }
}

const safe = /^(?:https?:\/\/|mailto:)/i

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  if (!safe.test(href)) return <span>{children}</span>
  return (
    <a
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  )
}
