"""The checkpoint of the bundled tiny policy: what `puzzlemill train-tiny` wrote."""
