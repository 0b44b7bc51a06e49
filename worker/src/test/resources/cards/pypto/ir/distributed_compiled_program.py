class DistributedConfig:
    def __init__(self, device_ids, num_sub_workers):
        self.device_ids = device_ids
