import { actorsSchema, edgeSchema, poolSchema } from './schema.ts'
import { webSchema } from './web-schema.ts'
import { workerSchema } from './worker-schema.ts'

/** The settings of every role: what one of them does not know, another may. */
export const ALL_SETTINGS = [edgeSchema, actorsSchema, poolSchema, webSchema, workerSchema]
