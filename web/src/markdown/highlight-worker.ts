/** Colours code in a thread of its own, so that a long diff does not hold up the page. */
import { highlighted } from './highlight.ts'

export interface HighlightRequest {
  readonly code: string
  readonly language: string
}

addEventListener('message', ({ data: { code, language } }: MessageEvent<HighlightRequest>) =>
  postMessage(highlighted(code, language)),
)
