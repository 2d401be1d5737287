/** Of all jobs. Fixed for the life of a deployment: a job's partition is part of its address. */
export const PARTITIONS = 64
