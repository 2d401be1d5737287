/** In place of the product's own: a life has two or three jobs, and each partition costs something all its time. */
export const PARTITIONS = 8
