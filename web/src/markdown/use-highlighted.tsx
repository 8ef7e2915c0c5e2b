/** The colours of code, made in a worker that starts with the first code there is to show. */
import { type ReactNode, useEffect, useState } from 'react'
import type { Piece } from './highlight.ts'
import type { HighlightRequest } from './highlight-worker.ts'
import { limitedWorker } from './limited-worker.ts'

type Pieces = readonly Piece[] | undefined

/** Without an answer the code is shown in one colour. */
const highlight = limitedWorker<HighlightRequest, Pieces>(
  () => new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' }),
  5000,
)

/** undefined until the colours are there, and for a language nobody knows. */
export function useHighlighted(code: string, language: string): Pieces {
  const [found, setFound] = useState<{ code: string; pieces: Pieces }>()
  useEffect(() => {
    if (language === '') return
    let current = true
    void highlight({ code, language }).then((pieces) => current && setFound({ code, pieces }))
    return () => {
      current = false
    }
  }, [code, language])
  return found?.code === code ? found.pieces : undefined
}

export const showPieces = (pieces: readonly Piece[]): ReactNode =>
  pieces.map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name
      <span key={index} data-code={piece.kind}>
        {showPieces(piece.pieces)}
      </span>
    ),
  )

/**
 * Cuts coloured code into its lines; what reaches over a line end is coloured on both sides of it.
 */
export function linesOfPieces(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]]
  for (const piece of pieces) {
    const parts =
      typeof piece === 'string'
        ? piece.split('\n').map((text) => [text])
        : linesOfPieces(piece.pieces)
    for (const [index, part] of parts.entries()) {
      if (index > 0) lines.push([])
      const shown: Piece[] = typeof piece === 'string' ? part : [{ kind: piece.kind, pieces: part }]
      lines.at(-1)?.push(...shown)
    }
  }
  return lines
}

const languages: Readonly<Record<string, string>> = {
  cjs: 'javascript',
  mjs: 'javascript',
  js: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  sh: 'bash',
  bash: 'bash',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  go: 'go',
  ini: 'ini',
  toml: 'ini',
  java: 'java',
  json: 'json',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sql: 'sql',
  html: 'xml',
  svg: 'xml',
  xml: 'xml',
  yml: 'yaml',
  yaml: 'yaml',
}

/** Empty for a file whose language is not known. */
export const languageOfFile = (path: string): string =>
  languages[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? ''
