//! Graph analytics over dynamic sparse tensors.
