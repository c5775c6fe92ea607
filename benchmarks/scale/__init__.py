"""Scale: the engines from 10^5 documents on, on one machine, and Spark's own LDA beside them."""
