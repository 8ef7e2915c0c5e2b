/**
 * Finds the words, strings and comments of code. A file of its own, loaded with the first code
 * there is to show.
 */
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

export type Piece = string | { readonly kind: string; readonly pieces: readonly Piece[] }

/** Longer code is shown in one colour. */
const longest = 50_000

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  php,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}
const lowlight = createLowlight(languages)

/** Highlights code; undefined for an unknown language. */
export function highlighted(code: string, language: string): readonly Piece[] | undefined {
  const name = language.toLowerCase()
  if (code.length > longest || !lowlight.registered(name)) return undefined
  return lowlight.highlight(name, code).children.map(pieceOf)
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

function pieceOf(node: Node): Piece {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return ''
  const [name = ''] = Array.isArray(node.properties.className) ? node.properties.className : []
  return { kind: String(name).replace(/^hljs-/, ''), pieces: node.children.map(pieceOf) }
}
