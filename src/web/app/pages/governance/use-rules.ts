import { useQuery } from '@tanstack/react-query'
import type { WebConfig } from '../../../api.ts'
import { readRules } from '../../chain/governance.ts'

export const useRules = (web: WebConfig) =>
  useQuery({ queryKey: ['chain', 'rules'], queryFn: () => readRules(web) })
