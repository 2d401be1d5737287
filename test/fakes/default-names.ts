import { serviceNames } from '../../src/domain/service-names.ts'

/** What a service is called whose operator names nothing, as the specification writes it. */
export const defaultNames = serviceNames('svc')
