/** snake_case names for MCP (HT1). Converts the names of an object's own fields, not of nested values. */
import * as z from 'zod'

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Uppercase<First> ? (First extends Lowercase<First> ? First : `_${Lowercase<First>}`) : First}${Snake<Rest>}`
  : Name

export type SnakeFields<Thing> = { [Name in keyof Thing as Name extends string ? Snake<Name> : never]: Thing[Name] }

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const snakeFields = <Thing extends object>(thing: Thing): SnakeFields<Thing> =>
  Object.fromEntries(Object.entries(thing).map(([name, value]) => [snake(name), value])) as SnakeFields<Thing>

/** Returns a schema with snake_case field names. */
export const snakeShape = <Shape extends z.core.$ZodLooseShape>(schema: z.ZodObject<Shape>): z.ZodObject<SnakeFields<Shape>> =>
  z.object(snakeFields(schema.shape)) as unknown as z.ZodObject<SnakeFields<Shape>>
