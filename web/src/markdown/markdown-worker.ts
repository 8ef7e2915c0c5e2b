/** Reads long Markdown in a thread of its own, which can be ended. */
import { parsed } from './parse.ts'

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(parsed(data)))
